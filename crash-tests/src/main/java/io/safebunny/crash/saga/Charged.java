// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crash.saga;

/**
 * @param charge the result of the step
 * @param run of the handler that published it: differs each time the handler runs
 */
public record Charged(String order, String charge, String run) {}
