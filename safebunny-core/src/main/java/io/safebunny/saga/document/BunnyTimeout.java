// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.document;

/**
 * Wakes a saga when a timeout expires; the message id is the timeout's token.
 *
 * @param name name of the timeout
 */
public record BunnyTimeout(String saga, String name) {}
