// Gate ring under a pyramid pocket: two infrared beams, A above B. Print in black, flange down, no supports.
// Emitters of A and B sit on opposite sides, so that no emitter shines into the other beam's receiver.
ball = 68;          // tables/pyramid12.toml
beam_gap = 20;      // calibration.toml gate.beam.gap_mm
clearance = 6;
wall = 3;
height = 44;
beam_a = 32;
led = 5.2;
receiver = 3.2;
boss = 14;
boss_d = 10.4;
slit = 3;
flange = 112;
floor_flange = 4;
screw_wood = 4.2;
$fn = 120;

bore = ball + clearance;
outer = bore + 2 * wall;
assert(beam_a + led < height && beam_a - beam_gap > floor_flange + led, "a beam leaves the ring");

// Columns at +-x from the flange to beam A: they hold emitters and receivers and print without supports.
module columns() {
    for (side = [0, 180]) rotate([0, 0, side]) {
        translate([bore / 2 + 1, -boss_d / 2, 0]) cube([wall + boss - 1, boss_d, beam_a]);
        translate([bore / 2 + 1, 0, beam_a]) rotate([0, 90, 0]) cylinder(d = boss_d, h = wall + boss - 1, $fn = 48);
    }
}

module beam(z, side) {
    translate([0, 0, z]) {
        rotate([0, 90, 0]) cylinder(d = slit, h = outer + 4 * boss, center = true, $fn = 32);
        rotate([0, 90 * side, 0]) translate([0, 0, outer / 2 - 1]) cylinder(d = led, h = 3 * boss, $fn = 48);
        rotate([0, -90 * side, 0]) translate([0, 0, outer / 2 - 1]) cylinder(d = receiver, h = 3 * boss, $fn = 48);
    }
}

difference() {
    union() {
        cylinder(d = outer, h = height);
        cylinder(d = flange, h = floor_flange);
        columns();
    }
    translate([0, 0, -1]) cylinder(d = bore, h = height + 2);
    beam(beam_a, 1);
    beam(beam_a - beam_gap, -1);
    for (a = [45 : 90 : 315]) rotate([0, 0, a])
        translate([flange / 2 - 8, 0, -1]) cylinder(d = screw_wood, h = floor_flange + 2, $fn = 32);
}
