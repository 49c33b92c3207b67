// SPDX-License-Identifier: Apache-2.0
package io.safebunny.spi.transport;

/**
 * @param usable whether messages flow in both directions as far as is known
 * @param detail for people: what it is connected to, or what is wrong
 */
public record TransportStatus(boolean usable, String detail) {}
