// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crash.saga;

/** Starts a saga; its id is the saga's. */
public record Order(String id, OrderKind kind) {}
