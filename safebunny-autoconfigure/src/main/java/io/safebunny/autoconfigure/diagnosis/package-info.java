// SPDX-License-Identifier: Apache-2.0
/** Reports what is wrong with a start or a configuration, and what to change. */
@NullMarked
package io.safebunny.autoconfigure.diagnosis;

import org.jspecify.annotations.NullMarked;
