/* How long single queries take that come at steady intervals: asks each on its own, waits for its answer and notes
 * the time between. Usage: probe PORT INTERVAL_MICROS COUNT QUERY_HEX, to 127.0.0.1. Prints the microseconds, one a
 * line; -1 for what was not answered within 100 ms. The message ID is the count. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>

static unsigned char query[512], answer[4096];

static double now_micros(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return at.tv_sec * 1e6 + at.tv_nsec / 1e3;
}

static double ask(int fd, size_t octets, int id) {
  query[0] = id >> 8, query[1] = id;
  double started_at = now_micros();
  send(fd, query, octets, 0);
  while (recv(fd, answer, sizeof answer, 0) > 0)
    if (answer[0] == query[0] && answer[1] == query[1]) return now_micros() - started_at;
  return -1;
}

int main(int count, char **words) {
  if (count != 5) return 64;
  struct sockaddr_in server = {.sin_family = AF_INET, .sin_port = htons(atoi(words[1]))};
  server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  struct timeval patience = {.tv_usec = 100000};
  int fd = socket(AF_INET, SOCK_DGRAM, 0);
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (connect(fd, (struct sockaddr *)&server, sizeof server) != 0) return perror("connect"), 71;
  size_t octets = strlen(words[4]) / 2;
  for (size_t i = 0; i < octets && i < sizeof query; i++) sscanf(words[4] + 2 * i, "%2hhx", &query[i]);
  struct timespec pause = {.tv_nsec = atoi(words[2]) * 1000L};
  for (int i = 0; i < atoi(words[3]); i++) {
    printf("%.1f\n", ask(fd, octets, i & 0xffff));
    clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
  }
}
