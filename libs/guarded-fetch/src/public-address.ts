import ipaddr from 'ipaddr.js';

/** The only part of the IPv6 space that is assigned to public hosts. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
/** NAT64: hosts of a network that speaks only IPv6 reach an IPv4 address under it. */
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
/** Azure's own services answer here, in every virtual network, although the address looks public. */
const azureServices = '168.63.129.16';

/**
 * Whether the address belongs to a public host: no loopback, private, link-local, carrier-grade NAT,
 * multicast, reserved or metadata address, also not inside an IPv6 address. A text that is not an address is not public.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address) || address.includes('%')) return false;
  const parsed = ipaddr.parse(address);
  return parsed instanceof ipaddr.IPv4 ? isPublicIPv4(parsed) : isPublicIPv6(parsed);
}

function isPublicIPv4(address: ipaddr.IPv4): boolean {
  return address.range() === 'unicast' && address.toString() !== azureServices;
}

function isPublicIPv6(address: ipaddr.IPv6): boolean {
  if (address.isIPv4MappedAddress()) return isPublicIPv4(address.toIPv4Address());
  if (address.match(nat64)) return isPublicIPv4(new ipaddr.IPv4(address.toByteArray().slice(12)));
  // 6to4 and Teredo have ranges of their own: no public host is behind them, whatever IPv4 address they hold.
  return address.match(globalUnicast) && address.range() === 'unicast';
}
