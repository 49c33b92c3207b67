// SPDX-License-Identifier: Apache-2.0
/** Metrics and traces of what happens to messages. Never decides anything. */
@NullMarked
package io.safebunny.observation;

import org.jspecify.annotations.NullMarked;
