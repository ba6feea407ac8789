#!/bin/sh
# After an installation or an upgrade, of a .deb or of an .rpm.
set -e
systemd-sysusers indexerd.conf
systemd-tmpfiles --create indexerd.conf
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
	systemctl try-restart indexerd.service
fi
