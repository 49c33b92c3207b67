// SPDX-License-Identifier: Apache-2.0
/** Tests of what a failed start is told. */
@NullMarked
package io.safebunny.autoconfigure.diagnosis;

import org.jspecify.annotations.NullMarked;
