// SPDX-License-Identifier: Apache-2.0
/** Tests of the starter: contexts on the memory transport, and one against a real broker. */
@NullMarked
package io.safebunny.autoconfigure.lifecycle;

import org.jspecify.annotations.NullMarked;
