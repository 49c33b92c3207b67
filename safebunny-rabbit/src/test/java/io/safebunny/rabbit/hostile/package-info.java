// SPDX-License-Identifier: Apache-2.0
/** A compromised node of the same broker against a node of ours: whatever it writes, the others' messages are handled. */
@NullMarked
package io.safebunny.rabbit.hostile;

import org.jspecify.annotations.NullMarked;
