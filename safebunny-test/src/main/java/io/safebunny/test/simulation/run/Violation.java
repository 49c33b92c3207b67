// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation.run;

/**
 * A violated invariant.
 *
 * @param invariant which one, independent of the details
 * @param details what was found
 */
public record Violation(String invariant, String details) {}
