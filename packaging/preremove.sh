#!/bin/sh
# Before a removal, which a .deb calls remove and an .rpm 0. Before an upgrade
# nothing is stopped, so that the old version answers until the new one starts.
set -e
case "$1" in
remove | 0)
	if [ -d /run/systemd/system ]; then
		systemctl disable --now indexerd.service
	fi
	;;
esac
