// Comb that centres the five pins over their sensors: lay it on the cloth, its notches on the drawn lines, put each pin at
// the end of its slot, draw the comb away along the slots. No slot meets another pin because the comb lies at 1:2.
spacing = 66;       // tables/carom5.toml pin.spacing
base = 7;           // tables/carom5.toml pin.base
play = 0.6;
floor_plate = 4;
margin = 22;
$fn = 64;

slot = base + play;
turn = atan(0.5);                       // direction of the slots, from the +x axis of the table
reach = spacing + margin;
assert(spacing * sin(turn) > slot + 2 * 2.4, "two slots would leave no wall between them");

// The part lies with its slots along x for printing; on the table it is turned by atan(1/2).
module on_table(x, y) { rotate([0, 0, -turn]) translate([x, y, 0]) rotate([0, 0, turn]) children(); }

difference() {
    translate([-reach, -reach, 0]) cube([2 * reach, 2 * reach, floor_plate]);
    for (p = [[0, 0], [-spacing, 0], [spacing, 0], [0, spacing], [0, -spacing]])
        on_table(p[0], p[1]) translate([0, 0, -1]) hull() {
            cylinder(d = slot, h = floor_plate + 2);
            translate([-3 * reach, 0, 0]) cylinder(d = slot, h = floor_plate + 2);
        }
    // Sight holes over the long axis and the cross line of the table, where no slot runs.
    for (a = [0, 90, 180, 270]) on_table(spacing / 3 * cos(a), spacing / 3 * sin(a)) hole();
    for (a = [0, 90, 270]) on_table((spacing + margin / 2) * cos(a), (spacing + margin / 2) * sin(a)) hole();
}

module hole() { translate([0, 0, -1]) cylinder(d = 5, h = floor_plate + 2); }
