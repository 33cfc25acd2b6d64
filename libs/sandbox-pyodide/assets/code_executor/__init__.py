"""What programs can use besides Python itself. The server decides what is allowed; no code here protects anything."""
