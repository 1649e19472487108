/* The floor under any UDP name server: what the kernel takes for a datagram in and a datagram out when nothing
 * is done between. Sends every datagram back with QR set. Usage: echo PORT, on 127.0.0.1. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

enum { batch = 64, room = 4096 };

static unsigned char octets[batch][room];
static struct sockaddr_in peers[batch];
static struct iovec parts[batch];
static struct mmsghdr messages[batch];

int main(int count, char **words) {
  if (count != 2) return 64;
  struct sockaddr_in own = {.sin_family = AF_INET, .sin_port = htons(atoi(words[1]))};
  own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int fd = socket(AF_INET, SOCK_DGRAM, 0), octet_count = 4 << 20;
  setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &octet_count, sizeof octet_count);
  if (bind(fd, (struct sockaddr *)&own, sizeof own) != 0) return perror("bind"), 71;
  for (int i = 0; i < batch; i++)
    messages[i].msg_hdr = (struct msghdr){.msg_name = &peers[i], .msg_namelen = sizeof peers[i],
                                          .msg_iov = &parts[i], .msg_iovlen = 1};
  for (;;) {
    for (int i = 0; i < batch; i++) parts[i] = (struct iovec){octets[i], room};
    int received = recvmmsg(fd, messages, batch, MSG_WAITFORONE, NULL);
    for (int i = 0; i < received; i++) {
      octets[i][2] |= 0x80;
      parts[i].iov_len = messages[i].msg_len;
    }
    for (int sent = 0; sent < received;) {
      int more = sendmmsg(fd, messages + sent, received - sent, 0);
      sent += more > 0 ? more : 1;
    }
  }
}
