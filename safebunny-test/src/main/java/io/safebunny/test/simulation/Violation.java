// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

/**
 * Something that must hold does not.
 *
 * @param invariant which; the same whatever the details are
 * @param details what was found
 */
public record Violation(String invariant, String details) {}
