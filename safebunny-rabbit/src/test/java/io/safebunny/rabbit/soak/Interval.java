// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.soak;

/**
 * A part of a run. Times are of orders that are neither delayed nor fail once, from the first try to publish them until the node with
 * deduplication has handled them, in milliseconds; 0 if there was none. Most of that is spent in the queue, because orders are published
 * as fast as up to a thousand may wait.
 *
 * @param until its end, in seconds since the traffic began
 * @param handled how many such orders
 * @param median of their times
 * @param p99 99th percentile of their times
 * @param heap the least that was used in it, in megabytes; of the process with publisher, deduplication, and the lists of what was handled
 * @param threads of that process, at its end
 * @param connections to all brokers, of all processes, at its end
 */
record Interval(
        long until, int handled, double median, double p99, double slowest, long heap, int threads, int connections) {}
