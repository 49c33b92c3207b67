// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.saga;

/**
 * @param charge the result of the step
 * @param run the handler's run that published it, different each time it runs
 */
public record Charged(String order, String charge, String run) {}
