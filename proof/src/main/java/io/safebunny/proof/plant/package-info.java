// SPDX-License-Identifier: Apache-2.0
/** Faults in the library's own sources, compiled into a copy of it that has a class loader of its own. */
@NullMarked
package io.safebunny.proof.plant;

import org.jspecify.annotations.NullMarked;
