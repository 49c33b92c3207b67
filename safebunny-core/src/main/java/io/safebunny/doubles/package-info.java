// SPDX-License-Identifier: Apache-2.0
/** Test doubles: time that a test moves, and wrappers to extend that pass every call on. */
@NullMarked
package io.safebunny.doubles;

import org.jspecify.annotations.NullMarked;
