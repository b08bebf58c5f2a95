"""For scripts in the MicroPython VM: LittleFS on a RAM disk that fails after a number of writes (`left`)."""

import vfs


class Disk:
    def __init__(self):
        self.data = bytearray(64 * 512)
        self.left = 1 << 30

    def readblocks(self, n, buf, off=0):
        a = n * 512 + off
        buf[:] = self.data[a : a + len(buf)]

    def writeblocks(self, n, buf, off=0):
        self.left -= 1
        if self.left < 0:
            raise OSError(5)
        a = n * 512 + off
        self.data[a : a + len(buf)] = buf

    def ioctl(self, op, arg):
        if op == 4:
            return 64
        if op == 5:
            return 512
        if op == 6:
            self.left -= 1
            if self.left < 0:
                raise OSError(5)
            a = arg * 512
            self.data[a : a + 512] = b"\xff" * 512
            return 0
        return None


def disk_with(raw=None):
    d = Disk()
    if raw is None:
        vfs.VfsLfs2.mkfs(d)
    else:
        d.data[:] = raw
    vfs.mount(vfs.VfsLfs2(d), "/ram")
    return d


def umount():
    vfs.umount("/ram")
