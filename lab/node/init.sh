# The first process of a machine, before it becomes systemd: makes its file systems and its network.
# Arguments: NAME ADDRESS DIR LAYERS DISKS GROUP, as in Machine.
set -eu
name=$1 address=$2 dir=$3 layers=$4 disks=$5 group=$6
root=$dir/root
hierarchies='cpu cpuacct cpuset memory devices freezer blkio pids'

if [ -z "${joined-}" ]; then
  for h in $hierarchies systemd unified; do echo 0 >"/sys/fs/cgroup/$h/$group/$name/cgroup.procs"; done
  # In a namespace for them, the control groups of the machine are the root of each hierarchy.
  joined=yes exec unshare --cgroup /bin/sh "$0" "$@"
fi

hostname "$name"
ip link set lo up
until ip link show eth0 >/dev/null 2>&1; do sleep 0.05; done
ip addr add "$address/24" dev eth0
ip link set eth0 up
ip route add default via 10.77.0.1

mount --make-rprivate /
mount -t overlay overlay -o "lowerdir=$layers,upperdir=$dir/upper,workdir=$dir/work" "$root"
# containerd keeps its layers in an overlay of its own, which cannot lie on another.
for state in containerd kubelet; do
  mkdir -p "$dir/var/$state" "$root/var/lib/$state"
  mount --bind "$dir/var/$state" "$root/var/lib/$state"
done
mkdir -p "$root/srv/disks"
mount --bind "$disks" "$root/srv/disks"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount -t tmpfs -o mode=755 tmpfs "$root/sys/fs/cgroup"
for h in $hierarchies; do
  mkdir "$root/sys/fs/cgroup/$h"
  mount -t cgroup -o "$h" cgroup "$root/sys/fs/cgroup/$h"
done
mkdir "$root/sys/fs/cgroup/systemd" "$root/sys/fs/cgroup/unified"
mount -t cgroup -o none,name=systemd cgroup "$root/sys/fs/cgroup/systemd"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup/unified"

mount -t tmpfs -o mode=755 tmpfs "$root/dev"
mkdir "$root/dev/pts" "$root/dev/shm" "$root/dev/mqueue"
device() { mknod -m 666 "$root/dev/$1" c "$2" "$3"; }
device null 1 3
device zero 1 5
device full 1 7
device random 1 8
device urandom 1 9
device kmsg 1 11 # without it the kubelet does not start
device tty 5 0
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
ln -s /proc/self/fd/0 "$root/dev/stdin"
ln -s /proc/self/fd/1 "$root/dev/stdout"
ln -s /proc/self/fd/2 "$root/dev/stderr"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
mount -t mqueue mqueue "$root/dev/mqueue"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"

# What the kubelet would set on the whole host it finds set already, and nobody on the machine can set it.
mkdir "$root/run/sysctl"
for s in vm kernel; do
  mount --bind "$root/proc/sys/$s" "$root/proc/sys/$s"
  mount -o remount,bind,ro "$root/proc/sys/$s"
done
setting() {
  file=$root/run/sysctl/$(echo "$1" | tr / .)
  echo "$2" >"$file"
  mount --bind "$file" "$root/proc/sys/$1"
}
setting vm/overcommit_memory 1
setting vm/panic_on_oom 0
setting kernel/panic 10
setting kernel/panic_on_oops 1
setting kernel/keys/root_maxkeys 1000000
setting kernel/keys/root_maxbytes 25000000
# Each start is a boot of its own.
setting kernel/random/boot_id "$(cat /proc/sys/kernel/random/uuid)"

cd "$root"
mkdir -p oldroot
pivot_root . oldroot
umount -l /oldroot
rmdir /oldroot
mount --make-rshared / # systemd leaves that out in a container, and volumes need it
exec env -i container=lab PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  /lib/systemd/systemd --log-target=journal --show-status=no
