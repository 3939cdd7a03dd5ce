
# The lines above were written for one step on one host. The root of a test, and what the
# arguments say:
root=${KDRAIN_TUI_ROOT:-}
dry_run=no
confirmed=no
admin_home=/root
# The folders that are emptied; none has a blank.
emptied="/etc/cni/net.d /var/lib/cni /etc/kubernetes $kubelet_dir/pki $admin_home/.kube"
# The kill of the shell: a host may have no other. A test puts its own into PATH.
kill='kill'
[ -z "$root" ] || kill='env kill'

say() { printf '%s\n' "$step: $*"; }

# die CODE TEXT: 1 something did not work, 2 bad arguments, 3 refused and nothing was changed.
die() {
	code=$1
	shift
	printf '%s\n' "$step: error: $*" >&2
	exit "$code"
}

# run shows a command and runs it, or only shows it in a dry run.
run() {
	printf '%s' '+'
	printf ' %s' "$@"
	printf '\n'
	[ "$dry_run" = yes ] || "$@"
}

arguments() {
	for argument in "$@"; do
		case $argument in
		--yes) confirmed=yes ;;
		--dry-run) dry_run=yes ;;
		*) die 2 "unknown argument: $argument; it takes --dry-run and --yes" ;;
		esac
	done
	[ "$confirmed" = yes ] || [ "$dry_run" = yes ] || die 2 "nothing was changed: give --yes, or --dry-run to see what would be done"
	need id uname tr systemctl
	[ "$(id -u)" = 0 ] || die 3 "nothing was changed: this must run as root"
}

# need refuses where a tool is missing: what cannot be asked would read as "there is none".
need() {
	for tool in "$@"; do
		command -v "$tool" >/dev/null || die 3 "nothing was changed: $tool is missing on this host"
	done
}

# identity compares the host with what the kubelet told the cluster of it.
identity() {
	host=$(uname -n | tr '[:upper:]' '[:lower:]')
	same=no
	# The names are separated by spaces, and none has one.
	for name in $host_names; do
		if [ "$host" = "$name" ] || [ "${host%%.*}" = "$name" ] || [ "$host" = "${name%%.*}" ]; then
			same=yes
		fi
	done
	[ "$same" = yes ] || die 3 "nothing was changed: this host is $host, not $node"
	id=
	for file in "$root/etc/machine-id" "$root/var/lib/dbus/machine-id"; do
		if [ -z "$id" ] && [ -r "$file" ]; then
			id=$(tr -d ' \t\r\n-' <"$file" | tr '[:upper:]' '[:lower:]')
		fi
	done
	[ "$id" = "$machine_id" ] || die 3 "nothing was changed: the machine-id of this host is ${id:-not readable}, that of node $node is $machine_id"
	say "this host is node $node: hostname and machine-id are the same"
}

# active reports whether a service runs or starts: a kubelet that crashes over and over is "activating".
active() {
	case $(systemctl is-active "$1" 2>/dev/null) in
	inactive | failed | unknown) return 1 ;;
	*) ;;
	esac
}

# find_processes sets pids and names to the processes whose name matches a pattern; it fails where none does.
find_processes() {
	pids='' names=''
	for comm in "$root"/proc/[0-9]*/comm; do
		{ read -r name <"$comm"; } 2>/dev/null || continue
		pid=${comm%/comm}
		for pattern in "$@"; do
			# shellcheck disable=SC2254 # it is a pattern
			case $name in
			$pattern) pids="$pids ${pid##*/}" names="$names $name" ;;
			*) ;;
			esac
		done
	done
	[ -n "$pids" ]
}

# find_pods does the same with the processes in the cgroups of pods: those of both versions and both drivers have
# kubepods in their path.
find_pods() {
	pids='' names=''
	for file in "$root"/proc/[0-9]*/cgroup; do
		pid=${file%/cgroup}
		while read -r cgroup; do
			case $cgroup in
			*kubepods*)
				{ read -r name <"$pid/comm"; } 2>/dev/null || break
				pids="$pids ${pid##*/}" names="$names $name"
				break
				;;
			*) ;;
			esac
		done 2>/dev/null <"$file"
	done
	[ -n "$pids" ]
}

# stop_service stops a service that runs.
stop_service() {
	if active "$1"; then
		run systemctl stop "$1" || die 1 "$1 could not be stopped"
	fi
}

step_stop() {
	run systemctl stop kubelet || die 1 "kubelet could not be stopped"
	run systemctl disable kubelet || die 1 "kubelet could not be disabled: it would start again with the host"
	[ "$dry_run" = yes ] && return
	if active kubelet || find_processes kubelet; then
		die 1 "kubelet is still active"
	fi
	say "kubelet is stopped, and does not start with the host"
	passed
}

# remove_pods removes pods and containers while the runtime still answers.
remove_pods() {
	if ! active "$runtime_service"; then
		say "$runtime_service is not active: it is not asked for pods and containers"
		return
	fi
	case $runtime in
	docker) remove_docker ;;
	*) remove_cri ;;
	esac
}

# A busy host takes longer to stop a pod than the 2 s that crictl waits.
remove_cri() {
	ids=$(crictl --timeout 60s --runtime-endpoint "$runtime_endpoint" pods -q) || die 1 "crictl does not list the pods of $runtime_endpoint"
	for id in $ids; do
		run crictl --timeout 60s --runtime-endpoint "$runtime_endpoint" stopp "$id" || die 1 "pod $id could not be stopped"
		run crictl --timeout 60s --runtime-endpoint "$runtime_endpoint" rmp -f "$id" || die 1 "pod $id could not be removed"
	done
	ids=$(crictl --timeout 60s --runtime-endpoint "$runtime_endpoint" ps -a -q) || die 1 "crictl does not list the containers of $runtime_endpoint"
	for id in $ids; do
		run crictl --timeout 60s --runtime-endpoint "$runtime_endpoint" rm -f "$id" || die 1 "container $id could not be removed"
	done
}

# remove_docker removes the containers that a kubelet made. Others are only stopped, with
# the runtime.
remove_docker() {
	ids=$(docker ps -a -q --filter name=k8s_) || die 1 "docker does not list its containers"
	for id in $ids; do
		run docker stop "$id" || die 1 "container $id could not be stopped"
		run docker rm -f "$id" || die 1 "container $id could not be removed"
	done
}

# stop_runtime stops the services of the runtime, sockets first: they would start them again.
stop_runtime() {
	for service in $runtime_services; do
		stop_service "$service"
	done
}

find_shims() { find_processes 'containerd-shim*' 'conmon*'; }

# end_shims ends what a stopped runtime leaves behind.
end_shims() {
	for signal in TERM KILL; do
		find_shims || return 0
		# Process numbers are separated by spaces.
		# shellcheck disable=SC2086
		run $kill -s "$signal" $pids || say "not all of$names took the signal"
		[ "$dry_run" = yes ] && return
		waited=0
		while find_shims && [ "$waited" -lt 10 ]; do
			sleep 1
			waited=$((waited + 1))
		done
	done
}

# resolve prints where a folder really is, and nothing where there is none.
resolve() {
	[ -e "$root$1" ] || [ -L "$root$1" ] || return 0
	(cd -P "$root$1" 2>/dev/null && pwd -P) || die 3 "nothing was changed: $1 is not a folder, or a link that leads nowhere"
}

# decode sets path to what the kernel wrote as a mount point: blanks and the like are octal numbers, such as \040.
decode() {
	path=$1
	case $path in
	*\\*)
		path=$(printf '%b.' "$(printf '%s' "$path" | sed 's/\\\([0-7][0-7][0-7]\)/\\0\1/g')")
		path=${path%.}
		;;
	*) ;;
	esac
}

# mounts END FOLDER... prints the mount points below the folders as the kernel writes them, the deepest first; END / is
# for those at the folders, too.
mounts() {
	end=$1
	shift
	while read -r _ target _; do
		decode "$target"
		for folder in "$@"; do
			case $path$end in
			"$folder"/*)
				printf '%s\n' "$target"
				break
				;;
			*) ;;
			esac
		done
	done <"$root/proc/self/mounts" | sort -r
}

# look refuses the step clean where it would do harm, before anything is changed.
look() {
	need umount sed sort rm sleep
	[ -r "$root/proc/self/mounts" ] || die 3 "nothing was changed: /proc/self/mounts cannot be read"
	if active kubelet || find_processes kubelet; then
		die 3 "nothing was changed: the kubelet is active and would start its pods again; run the step stop first"
	fi
	if ! active "$runtime_service"; then
		! find_pods || die 3 "nothing was changed: $runtime_service is not active, and processes of pods run:$names; start it, or reboot the host"
	elif [ "$runtime" = docker ]; then
		need docker
	else
		need crictl
	fi
	for folder in $emptied; do
		real=$(resolve "$folder") || exit "$?"
		[ -n "$real" ] || continue
		left=$(mounts / "$real")
		[ -z "$left" ] || die 3 "nothing was changed: $folder would be emptied, and has mounts: $left"
	done
	# The kubelet mounts below these; what does not exist has no mounts.
	kubelet_real=$(resolve "$kubelet_dir") || exit "$?"
	pods_real=$(resolve "$kubelet_dir/pods") || exit "$?"
	plugins_real=$(resolve "$kubelet_dir/plugins") || exit "$?"
}

mounts_left() { mounts '' "${kubelet_real:-$kubelet_dir}" "${pods_real:-$kubelet_dir}" "${plugins_real:-$kubelet_dir}"; }

# unmount unmounts them all, so that nothing that is removed afterwards is on a volume.
unmount() {
	mounts_left | while read -r target; do
		decode "$target"
		run umount "$path" || exit 1
	done || die 1 "not everything below $kubelet_dir could be unmounted; nothing was removed"
	[ "$dry_run" = yes ] && return
	left=$(mounts_left)
	[ -z "$left" ] || die 1 "still mounted below $kubelet_dir, so nothing was removed: $left"
}

# empty removes all that is in a folder, and not the folder itself.
empty() {
	for entry in "$root$1"/* "$root$1"/.[!.]* "$root$1"/..?*; do
		if [ -e "$entry" ] || [ -L "$entry" ]; then
			run rm -rf -- "$entry" || die 1 "$entry could not be removed"
		fi
	done
}

# remove_files removes what would let the host join again, and the state of its network.
# Data of pods, images and the data of etcd stay.
remove_files() {
	for folder in $emptied; do
		empty "$folder"
	done
	# The last are the state of its managers, with which a kubelet of another configuration does not start.
	for file in kubeconfig bootstrap-kubeconfig config.yaml instance-config.yaml kubeadm-flags.env \
		cpu_manager_state memory_manager_state dra_manager_state allocated_pods_state actuated_pods_state \
		device-plugins/kubelet_internal_checkpoint; do
		if [ -e "$root$kubelet_dir/$file" ]; then
			run rm -f -- "$root$kubelet_dir/$file" || die 1 "$kubelet_dir/$file could not be removed"
		fi
	done
}

# name_network names the interfaces and rules that stay until the host reboots: other programs may use them, too.
name_network() {
	found=
	for name in cni0 flannel.1 vxlan.calico tunl0 cilium_host kube-bridge kube-ipvs0 nodelocaldns; do
		[ ! -e "$root/sys/class/net/$name" ] || found="$found interface $name,"
	done
	for tool in iptables ip6tables; do
		command -v "$tool-save" >/dev/null || continue
		# Names of chains have no blank, and no character of a pattern.
		# shellcheck disable=SC2046
		set -- $("$tool-save" 2>/dev/null | sed -n -e 's/^:\(KUBE-[^ ]*\) .*/\1/p' -e 's/^:\(CNI-[^ ]*\) .*/\1/p')
		[ "$#" = 0 ] || found="$found $# chains of $tool such as $1,"
	done
	[ -z "$found" ] || say "stays until the host reboots:${found%,}"
}

# fails notes a check that did not hold; all are made before the script ends.
failed=0
fails() {
	say "check failed: $*"
	failed=1
}

checks() {
	for service in kubelet $runtime_services; do
		if active "$service"; then
			fails "$service is active"
		fi
	done
	if find_shims; then
		fails "still running:$names"
	fi
	if find_pods; then
		fails "processes of pods still run:$names"
	fi
	if [ -e "$root/etc/kubernetes/kubelet.conf" ]; then
		fails "/etc/kubernetes/kubelet.conf is there"
	fi
	[ "$failed" = 0 ] || exit 1
	say "services are inactive, no shim and no process of a pod runs, no kubelet.conf is left"
	passed
}

# passed is the last line of a step of which all checks passed. retire looks for it.
passed() { say "all checks passed${run_id:+ (run $run_id)}"; }

step_clean() {
	look
	run systemctl daemon-reload || die 1 "systemd does not answer"
	remove_pods
	stop_runtime
	end_shims
	if [ "$dry_run" = no ] && find_pods; then
		die 1 "processes of pods still run:$names; nothing was unmounted or removed"
	fi
	unmount
	remove_files
	name_network
	if [ "$dry_run" = yes ]; then
		say "a dry run: nothing was changed, and the checks were not made"
		return
	fi
	run systemctl daemon-reload || die 1 "systemd does not answer"
	checks
}

main() {
	arguments "$@"
	identity
	case $step in
	stop) step_stop ;;
	clean) step_clean ;;
	*) die 2 "no such step" ;;
	esac
}

# One call on the last line: a script that arrives in part does nothing, and no command reads
# the rest of it from standard input.
main "$@" </dev/null
