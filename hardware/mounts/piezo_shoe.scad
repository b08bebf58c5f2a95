// Shoe that holds a piezo disc under the rail wood or the slate. The disc is bonded to the wood; the shoe protects it
// and takes the pull of the cable. wing = 0: bonded only, for tables whose cushions must not be drilled.
disc = 27.4;
wall = 3;
depth = 1.2;
base = 4.2;
relief = 1.4;
relief_w = 8;
wing = 12;
screw_m3 = 3.4;
$fn = 96;

outer = disc + 2 * wall;

difference() {
    union() {
        cylinder(d = outer, h = base + depth);
        if (wing > 0) hull() {
            for (s = [-1, 1]) translate([0, s * (outer / 2 + wing / 2), 0]) cylinder(d = wing, h = base);
        }
        // Tail with a slot for a cable tie, 50 mm from the joint the cable is tied once more to the frame.
        translate([0, -6, 0]) cube([outer / 2 + 16, 12, base]);
    }
    translate([0, 0, base]) cylinder(d = disc, h = depth + 1);
    // Groove under the solder joints, open to the tail for the cable.
    translate([0, -relief_w / 2, base - relief]) cube([outer / 2 + 17, relief_w, relief + depth + 1]);
    translate([outer / 2 + 8, -7, -1]) cube([3, 2.6, base + 2]);
    translate([outer / 2 + 8, 4.4, -1]) cube([3, 2.6, base + 2]);
    if (wing > 0) for (s = [-1, 1])
        translate([0, s * (outer / 2 + wing / 2), -1]) cylinder(d = screw_m3, h = base + 2, $fn = 32);
}
