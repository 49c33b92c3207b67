// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport;

/**
 * Status of a transport's connection, for the health check.
 *
 * @param usable whether messages can flow in both directions, as far as is known
 * @param detail for humans: what it is connected to, or what is wrong
 */
public record TransportStatus(boolean usable, String detail) {}
