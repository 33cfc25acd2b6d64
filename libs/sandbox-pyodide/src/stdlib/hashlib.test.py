import hashlib
m = hashlib.sha256()
m.update(b"Nobody inspects")
m.update(b" the spammish repetition")
print(m.hexdigest(), m.digest_size, m.block_size)
h = hashlib.new('sha256')
h.update(b"Nobody inspects the spammish repetition")
print(h.hexdigest() == m.hexdigest())
print(hashlib.sha224(b"Nobody inspects the spammish repetition").hexdigest())
h = hashlib.blake2b(digest_size=20)
h.update(b'Replacing SHA1 with the more secure function')
print(h.hexdigest())

# Expected output:
#
#     031edd7d41651593c5fe5c006fa5752b37fddff7bc4e843aa6af0c950f4b9406 32 64
#     True
#     a4337bc45a8fc544c03f52dc550cd6e1e87021bc896588bd79e901e2
#     d24f26cf8de66472d58d4e1b1774b4c9158b1f4c
