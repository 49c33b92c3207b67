// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.document;

/**
 * Wakes a saga whose timeout is over; its message id is the timeout's token.
 *
 * @param name of the timeout
 */
public record BunnyTimeout(String saga, String name) {}
