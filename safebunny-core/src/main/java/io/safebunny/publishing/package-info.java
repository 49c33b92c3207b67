// SPDX-License-Identifier: Apache-2.0
/**
 * Publishing: ids, serialization, and where a message goes: collected inside a handler, stored in the caller's transaction (how is up to the
 * {@link io.safebunny.store.Outbox}), or sent.
 */
@NullMarked
package io.safebunny.publishing;

import org.jspecify.annotations.NullMarked;
