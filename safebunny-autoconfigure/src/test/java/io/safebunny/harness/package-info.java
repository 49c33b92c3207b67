// SPDX-License-Identifier: Apache-2.0
/** The test kit, used as an application uses it. */
@NullMarked
package io.safebunny.harness;

import org.jspecify.annotations.NullMarked;
