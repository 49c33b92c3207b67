// SPDX-License-Identifier: Apache-2.0
/**
 * The message being handled: the steps around it, its attempts, what it publishes. Nothing here sends, or calls a store, except
 * through what the caller provides.
 */
@NullMarked
package io.safebunny.handling;

import org.jspecify.annotations.NullMarked;
