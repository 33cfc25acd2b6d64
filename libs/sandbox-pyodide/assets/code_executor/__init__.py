"""What programs find beside Python itself. The server decides what is allowed; nothing here guards anything."""
