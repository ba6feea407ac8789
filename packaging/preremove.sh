#!/bin/sh
# Runs before a removal, with the argument remove in a .deb and 0 in an .rpm. An
# upgrade does not stop the service, so that the old version answers until the
# new one starts.
set -e
case "$1" in
remove | 0)
	if [ -d /run/systemd/system ]; then
		systemctl disable --now indexerd.service
	fi
	;;
esac
