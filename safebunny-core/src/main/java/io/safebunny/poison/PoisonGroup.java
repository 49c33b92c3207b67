// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison;

/**
 * How many copies have type, reason and exception in common.
 *
 * @param exception class name; empty when the copies name none
 */
public record PoisonGroup(String type, String reason, String exception, int copies) {}
