// SPDX-License-Identifier: Apache-2.0
/**
 * The message being handled: its attempts, its steps, what it publishes. Nothing here sends or asks a store: whoever handles brings
 * both.
 */
@NullMarked
package io.safebunny.handling;

import org.jspecify.annotations.NullMarked;
