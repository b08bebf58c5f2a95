// Ramp that gives a ball a known speed. The ball rides on the two edges of a groove; three notches mark where its centre
// has dropped by the calibration heights when it reaches the slate. The toe runs out tangentially, or the ball would hop.
ball = 61.5;        // tables/*.toml
drops = [5, 20, 100];   // calibration.toml ramp.drop_mm
groove = 22.6;
wall_rail = 6;
angle = 35;
fillet = 133;
tail = 12;
$fn = 96;

R = ball / 2;
r = sqrt(R * R - groove * groove / 4);  // ride radius: centre of the ball above the line of the two edges
toe = R - r;                            // height of the edges where the ball meets the slate
rho = fillet - r;                       // radius of the path of the ball centre
assert(rho >= 100, "the path of the ball centre must not bend sharper than 100 mm");

// Place and slope of the path of the centre after s degrees of the bend, then along the straight part; x grows up the ramp.
function bend(a) = [rho * sin(a), R + rho * (1 - cos(a)), a];
function straight(drop) = let (e = bend(angle), up = drop - (e[1] - R)) [e[0] + up / tan(angle), R + drop, angle];
function at(drop) = drop > rho * (1 - cos(angle)) ? straight(drop) : bend(acos(1 - drop / rho));
function edge(p) = [p[0] + r * sin(p[2]), p[1] - r * cos(p[2])];

top = at(drops[len(drops) - 1]);
summit = edge(top) + [tail * cos(angle), tail * sin(angle)];
profile = concat([[0, 0]], [for (a = [0 : 2.5 : angle]) edge(bend(a))], [summit, [summit[0], 0]]);

module rail(y) {
    translate([0, y + wall_rail, 0]) rotate([90, 0, 0]) linear_extrude(wall_rail) polygon(profile);
}

difference() {
    union() {
        mirror([1, 0, 0]) { rail(-groove / 2 - wall_rail); rail(groove / 2); }
        // Cross bars below the ball, where it has risen clear of them.
        for (x = [0.55, 0.98]) translate([-summit[0] * x, -groove / 2 - 1, 0])
            cube([4, groove + 2, min(20, summit[1] / 3)]);
    }
    // Notches on the outer faces, one for each drop, at the contact point of the edges.
    for (d = drops) let (p = edge(at(d)))
        for (s = [-1, 1]) translate([-p[0], s * (groove / 2 + wall_rail), p[1]])
            rotate([0, at(d)[2], 0]) cube([1.2, 1.6, 8], center = true);
}
