// SPDX-License-Identifier: Apache-2.0
/** The durable record of a message or a companion: its key, its states, how to find it, and its stored form. Values. */
@NullMarked
package io.safebunny.store.record;

import org.jspecify.annotations.NullMarked;
