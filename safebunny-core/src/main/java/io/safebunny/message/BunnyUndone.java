// SPDX-License-Identifier: Apache-2.0
package io.safebunny.message;

import io.safebunny.BunnyMessage;

/**
 * Tells the node of a saga that one of its steps leaves no effect behind. Written with the completion of the undo, by the node that
 * handled it.
 *
 * @param saga node that published the undo; empty if the undo did not say
 * @param step message id of the step
 */
@BunnyMessage("BunnyUndone")
public record BunnyUndone(String saga, String step) {}
