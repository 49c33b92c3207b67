// SPDX-License-Identifier: Apache-2.0
/** What an application can import, tried with the compiler. */
@NullMarked
package io.safebunny.imports;

import org.jspecify.annotations.NullMarked;
