// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.saga;

/** @param run the handler's run that published it, different each time it runs */
public record Shipped(String order, String run) {}
