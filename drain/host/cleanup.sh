
# The lines above were written for one step on one host. The root of a test, and what the
# arguments say:
root=${KDRAIN_TUI_ROOT:-}
dry_run=no
confirmed=no
admin_home=/root

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
	[ "$(id -u)" = 0 ] || die 3 "nothing was changed: this must run as root"
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

active() { systemctl is-active --quiet "$1"; }

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
	if active kubelet; then
		die 1 "kubelet is still active"
	fi
	say "kubelet is stopped, and does not start with the host"
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

remove_cri() {
	ids=$(crictl --runtime-endpoint "$runtime_endpoint" pods -q) || die 1 "crictl does not list the pods of $runtime_endpoint"
	for id in $ids; do
		run crictl --runtime-endpoint "$runtime_endpoint" stopp "$id" || die 1 "pod $id could not be stopped"
		run crictl --runtime-endpoint "$runtime_endpoint" rmp -f "$id" || die 1 "pod $id could not be removed"
	done
	ids=$(crictl --runtime-endpoint "$runtime_endpoint" ps -a -q) || die 1 "crictl does not list the containers of $runtime_endpoint"
	for id in $ids; do
		run crictl --runtime-endpoint "$runtime_endpoint" rm -f "$id" || die 1 "container $id could not be removed"
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

shims='containerd-shim containerd-shim-runc-v1 containerd-shim-runc-v2 conmon'

# end_shims ends what a stopped runtime leaves behind.
end_shims() {
	for name in $shims; do
		pids=$(pidof "$name") || continue
		# Process numbers are separated by spaces.
		# shellcheck disable=SC2086
		run env kill -s TERM $pids || say "not all of $name took the signal"
	done
	[ "$dry_run" = yes ] && return
	waited=0
	while shims_left >/dev/null && [ "$waited" -lt 10 ]; do
		sleep 1
		waited=$((waited + 1))
	done
	for name in $shims; do
		pids=$(pidof "$name") || continue
		# shellcheck disable=SC2086
		run env kill -s KILL $pids || say "not all of $name took the signal"
	done
}

# shims_left names those that run; it fails where none does.
shims_left() {
	left=
	for name in $shims; do
		if pidof "$name" >/dev/null; then
			left="$left $name"
		fi
	done
	[ -n "$left" ] && printf '%s\n' "$left"
}

# mounts_left prints what is mounted below the folder of the kubelet, the deepest first.
mounts_left() {
	while read -r _ target _; do
		case $target in
		"$root$kubelet_dir"/*) printf '%s\n' "$target" ;;
		*) ;;
		esac
	done <"$root/proc/self/mounts" | sort -r
}

# unmount unmounts them all, so that nothing that is removed afterwards is on a volume.
unmount() {
	mounts_left | while read -r target; do
		# The kernel writes blanks and the like as octal numbers, such as \040.
		path=$(printf '%b.' "$(printf '%s' "$target" | sed 's/\\\([0-7][0-7][0-7]\)/\\0\1/g')")
		run umount "${path%.}" || exit 1
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
	for folder in /etc/cni/net.d /var/lib/cni /etc/kubernetes "$kubelet_dir/pki" "$admin_home/.kube"; do
		empty "$folder"
	done
	for file in kubeconfig bootstrap-kubeconfig config.yaml kubeadm-flags.env; do
		if [ -e "$root$kubelet_dir/$file" ]; then
			run rm -f -- "$root$kubelet_dir/$file" || die 1 "$kubelet_dir/$file could not be removed"
		fi
	done
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
	if left=$(shims_left); then
		fails "still running:$left"
	fi
	if [ -e "$root/etc/kubernetes/kubelet.conf" ]; then
		fails "/etc/kubernetes/kubelet.conf is there"
	fi
	[ "$failed" = 0 ] || exit 1
	say "all checks passed: services are inactive, no shim runs, no kubelet.conf is left"
}

step_clean() {
	if active kubelet || pidof kubelet >/dev/null; then
		die 3 "nothing was changed: the kubelet is active and would start its pods again; run the step stop first"
	fi
	run systemctl daemon-reload || die 1 "systemd does not answer"
	remove_pods
	stop_runtime
	end_shims
	unmount
	remove_files
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
