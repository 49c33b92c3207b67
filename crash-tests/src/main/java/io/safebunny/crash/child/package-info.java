// SPDX-License-Identifier: Apache-2.0
/** A process that works on orders until something happens to it. */
@NullMarked
package io.safebunny.crash.child;

import org.jspecify.annotations.NullMarked;
