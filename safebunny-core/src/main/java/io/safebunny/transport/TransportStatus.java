// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport;

/**
 * What a transport knows about its connection, for the health check.
 *
 * @param usable whether messages flow in both directions, as far as is known
 * @param detail for humans: what it is connected to, or what is wrong
 */
public record TransportStatus(boolean usable, String detail) {}
