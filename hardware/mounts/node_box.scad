// Box of the table node. part = "body" or "lid". Mount it with the glands down; the lid closes with four M3 screws.
part = "body";
inner_l = 166;
inner_w = 106;
inner_h = 46;
wall = 2.8;
floor = 2.8;
gland = 12.2;
glands = 4;
post = 9;
screw_m3 = 3.4;
screw_wood = 4.2;
$fn = 48;

l = inner_l + 2 * wall;
w = inner_w + 2 * wall;
h = inner_h + floor;
px = inner_l / 2 - post / 2;
py = inner_w / 2 - post / 2;

module corners() { for (x = [-px, px], y = [-py, py]) translate([x, y, 0]) children(); }

module body() {
    difference() {
        union() {
            difference() {
                translate([-l / 2, -w / 2, 0]) cube([l, w, h]);
                translate([-inner_l / 2, -inner_w / 2, floor]) cube([inner_l, inner_w, inner_h + 1]);
            }
            corners() translate([-post / 2, -post / 2, 0]) cube([post, post, h]);
            // Feet with wood-screw holes, outside the sealed volume.
            for (s = [-1, 1]) translate([s * (l / 2 + 7), 0, 0]) translate([-7.5, -12, 0]) cube([15, 24, 4]);
        }
        corners() translate([0, 0, h - 14]) cylinder(d = 2.6, h = 15);
        for (i = [0 : glands - 1])
            translate([(i - (glands - 1) / 2) * (inner_l - 30) / glands, -w / 2 - 1, floor + inner_h / 2])
                rotate([-90, 0, 0]) cylinder(d = gland, h = wall + 2);
        for (s = [-1, 1]) translate([s * (l / 2 + 8), 0, -1]) cylinder(d = screw_wood, h = 6);
    }
}

module lid() {
    difference() {
        union() {
            translate([-l / 2, -w / 2, 0]) cube([l, w, floor]);
            // Lip that keeps dripping water out of the seam.
            difference() {
                translate([-inner_l / 2 + 0.3, -inner_w / 2 + 0.3, floor - 0.01]) cube([inner_l - 0.6, inner_w - 0.6, 3]);
                translate([-inner_l / 2 + 2.8, -inner_w / 2 + 2.8, floor - 1]) cube([inner_l - 5.6, inner_w - 5.6, 6]);
                corners() translate([-post / 2 - 0.5, -post / 2 - 0.5, floor]) cube([post + 1, post + 1, 6]);
            }
        }
        corners() translate([0, 0, -1]) cylinder(d = screw_m3, h = floor + 8);
    }
}

if (part == "lid") lid(); else body();
