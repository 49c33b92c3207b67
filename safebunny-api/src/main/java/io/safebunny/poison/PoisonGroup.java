// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison;

/**
 * Number of copies with the same type, reason and exception.
 *
 * @param exception class name; empty if the copies have none
 */
public record PoisonGroup(String type, String reason, String exception, int copies) {}
