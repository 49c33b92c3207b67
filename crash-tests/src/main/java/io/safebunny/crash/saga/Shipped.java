// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crash.saga;

/** @param run of the handler that published it: differs each time the handler runs */
public record Shipped(String order, String run) {}
