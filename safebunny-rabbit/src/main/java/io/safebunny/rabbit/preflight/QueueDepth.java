// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.preflight;

/**
 * How full a queue is, as the management API tells it: some seconds late.
 *
 * @param ready messages that wait for a consumer
 * @param unacknowledged messages that consumers have and have not settled
 * @param consumers of all instances
 */
public record QueueDepth(long ready, long unacknowledged, long consumers) {}
