// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

/** A message of the tests. */
public record OrderPlaced(String orderId) {}
