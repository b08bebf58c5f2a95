NAME = "rp2"
