// SPDX-License-Identifier: Apache-2.0
/** The child process, which works on orders until a fault happens to it. */
@NullMarked
package io.safebunny.proof.child;

import org.jspecify.annotations.NullMarked;
