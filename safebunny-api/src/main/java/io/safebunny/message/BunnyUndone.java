// SPDX-License-Identifier: Apache-2.0
package io.safebunny.message;

import io.safebunny.BunnyMessage;

/**
 * Tells a saga's node that one of its steps has been undone. Published by the node that handled the undo, together with its
 * completion.
 *
 * @param saga node that published the undo; empty if the undo did not name it
 * @param step message id of the step
 */
@BunnyMessage("BunnyUndone")
public record BunnyUndone(String saga, String step) {}
