/* Starts Kogoma on Windows: checks the unpacked files, loads the Python in the folder `runtime` into this process, and
 * runs `python -m kogoma` with the arguments of ARGUMENTS and of the command line. There is one process, so a GUI that
 * ends it ends everything.
 *
 * Written without the C library, whose start-up code would only add size. PROGRAM is the name in messages. An error is
 * one line on standard error, in the user's language, and, for a GUI's log, one on standard output, in English; the exit
 * code is then 1. */

#include <windows.h>

#include <shellapi.h>

#ifndef PROGRAM
#define PROGRAM "kogoma"
#endif
#ifndef ARGUMENTS
#define ARGUMENTS /* such as L"board", */
#endif

#define LONGEST 32768 /* of any path on Windows, in characters */
#define TEXT_SIZE 1024
#define LIST "runtime\\files.txt"
#define UNPACK "; unpack the whole zip file again into a new folder"
#define UNPACK_JAPANESE L": zip ファイル全体を新しいフォルダーに展開し直してください"

typedef int (*PythonMain)(int, wchar_t **);
typedef void (*SetProgramName)(const wchar_t *);

static wchar_t path[LONGEST]; /* this program's folder with a backslash, then the name of a file in it */
static wchar_t interpreter[LONGEST]; /* the path of python.exe; before, the name of this program */
static DWORD folder_length;
static char text[TEXT_SIZE];
static wchar_t japanese[TEXT_SIZE]; /* the translation of `text` */

/* The compiler may emit calls of these. */
void *memset(void *to, int value, size_t count) {
  for (volatile char *byte = to; count--; byte++) *byte = (char)value;
  return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t count) {
  volatile char *byte = to;
  for (const char *source = from; count--; source++, byte++) *byte = *source;
  return to;
}

/* Appends words to `text`, and their translation to `japanese`. */
static void append(const char *words, const wchar_t *translated) {
  int length = lstrlenA(text);
  for (; *words && length < TEXT_SIZE - 1; words++) text[length++] = *words;
  text[length] = 0;
  length = lstrlenW(japanese);
  for (; *translated && length < TEXT_SIZE - 1; translated++) japanese[length++] = *translated;
  japanese[length] = 0;
}

/* Appends ASCII words to both. */
static void append_name(const char *words) {
  wchar_t same[MAX_PATH];
  int length = 0;
  for (; words[length] && length < MAX_PATH - 1; length++) same[length] = (wchar_t)words[length];
  same[length] = 0;
  append(words, same);
}

static void append_number(DWORD number) {
  char digits[12], *digit = digits + sizeof digits;
  *--digit = 0;
  do *--digit = (char)('0' + number % 10);
  while (number /= 10);
  append_name(digit);
}

static void print(DWORD stream, const char *start) {
  HANDLE to = GetStdHandle(stream);
  DWORD written;
  if (!to || to == INVALID_HANDLE_VALUE) return;
  WriteFile(to, start, (DWORD)lstrlenA(start), &written, NULL);
  WriteFile(to, text, (DWORD)lstrlenA(text), &written, NULL);
  WriteFile(to, "\r\n", 2, &written, NULL);
}

static BOOL is_console(DWORD stream) {
  DWORD mode;
  return GetConsoleMode(GetStdHandle(stream), &mode);
}

/* Returns whether the user reads Japanese, as in japanese.py. */
static BOOL is_japanese(void) {
  static const wchar_t *const names[] = {L"KOGOMA_LANG", L"LC_ALL", L"LC_MESSAGES", L"LANG"};
  static wchar_t value[LONGEST]; /* no variable is longer */
  for (int i = 0; i < 4; i++) {
    if (!GetEnvironmentVariableW(names[i], value, LONGEST)) continue;
    value[2] = 0;
    return !lstrcmpiW(value, L"ja");
  }
  return PRIMARYLANGID(GetUserDefaultUILanguage()) == LANG_JAPANESE;
}

/* Prints the message on standard error in the user's language: a console gets UTF-16, a pipe or file UTF-8. */
static void tell(const char *start) {
  static char bytes[3 * TEXT_SIZE];
  HANDLE to = GetStdHandle(STD_ERROR_HANDLE);
  DWORD written;
  if (!is_japanese()) {
    print(STD_ERROR_HANDLE, start);
    return;
  }
  if (!to || to == INVALID_HANDLE_VALUE) return;
  WriteFile(to, start, (DWORD)lstrlenA(start), &written, NULL);
  if (is_console(STD_ERROR_HANDLE)) {
    WriteConsoleW(to, japanese, (DWORD)lstrlenW(japanese), &written, NULL);
  } else {
    int length = WideCharToMultiByte(CP_UTF8, 0, japanese, lstrlenW(japanese), bytes, sizeof bytes, NULL, NULL);
    WriteFile(to, bytes, (DWORD)length, &written, NULL);
  }
  WriteFile(to, "\r\n", 2, &written, NULL);
}

/* Prints the message and ends the process. A console that would close with this process is kept until Enter is pressed.
 */
static void fail(void) {
  DWORD processes[2], count;
  char answer;
  tell(PROGRAM ": ");
  if (!is_console(STD_OUTPUT_HANDLE)) {
    print(STD_OUTPUT_HANDLE, "info string error: ");
  } else if (is_console(STD_INPUT_HANDLE) && GetConsoleProcessList(processes, 2) == 1) {
    text[0] = 0;
    japanese[0] = 0;
    append("press Enter to close this window", L"Enter キーを押すとこのウィンドウを閉じます");
    tell("");
    ReadFile(GetStdHandle(STD_INPUT_HANDLE), &answer, 1, &count, NULL);
  }
  ExitProcess(1);
}

static void require(BOOL good, const char *problem, const wchar_t *translated) {
  if (good) return;
  append(problem, translated);
  fail();
}

/* Puts a file's name, relative to this program's folder, into `path`. */
static void set_path(const char *name) {
  DWORD end = folder_length;
  while (*name && end < LONGEST - 1) path[end++] = (wchar_t)*name++;
  path[end] = 0;
}

static void find_folder(void) {
  DWORD length = GetModuleFileNameW(NULL, path, LONGEST);
  require(length && length < LONGEST, "Windows does not tell where this program is",
          L"このプログラムの場所を Windows から取得できません");
  while (length && path[length - 1] != L'\\') length--;
  folder_length = length;
}

static void fail_for_path(DWORD longest_name) {
  append("the path of Kogoma's folder is too long: it has ", L"Kogoma のフォルダーのパスが長すぎます: ");
  append_number(folder_length - 1);
  append(" characters", L"文字あります");
  if (longest_name) {
    append(", at most ", L"(上限は");
    append_number(MAX_PATH - 2 - longest_name);
    append(" are possible", L"文字)");
  }
  append("; move the folder, for example to C:\\Kogoma", L"。C:\\Kogoma などに移してください");
  fail();
}

static DWORD number_at(const char **at) {
  DWORD number = 0;
  for (; **at >= '0' && **at <= '9'; ++*at) number = 10 * number + (DWORD)(**at - '0');
  return number;
}

static void append_error(DWORD error) {
  if (error == ERROR_ACCESS_DENIED) append(": access is denied", L": アクセスが拒否されました");
  if (error == ERROR_SHARING_VIOLATION) append(": another program is using it", L": 別のプログラムが使用中です");
  append(" (Windows error ", L"(Windows のエラー ");
  append_number(error);
  append(")", L")");
}

static void fail_as_incomplete(const char *name) {
  append_name(name);
  append(" is missing or incomplete" UNPACK, L" がないか、不完全です" UNPACK_JAPANESE);
  fail();
}

static void fail_to_read(const char *name, DWORD error) {
  if (error == ERROR_FILE_NOT_FOUND || error == ERROR_PATH_NOT_FOUND) fail_as_incomplete(name);
  append_name(name);
  append(" cannot be read", L" を読めません");
  append_error(error);
  fail();
}

static HANDLE open_file(const char *name) {
  set_path(name);
  HANDLE file = CreateFileW(path, GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, 0, NULL);
  if (file == INVALID_HANDLE_VALUE) fail_to_read(name, GetLastError());
  return file;
}

/* Compares the unpacked files with LIST: the length of the longest name, then the size and the name of each file. */
static void check_files(void) {
  WIN32_FILE_ATTRIBUTE_DATA found;
  DWORD size = 0;
  if (folder_length + sizeof LIST > MAX_PATH) fail_for_path(0);
  HANDLE file = open_file(LIST);
  DWORD length = GetFileSize(file, NULL);
  char *list = HeapAlloc(GetProcessHeap(), 0, (SIZE_T)length + 1);
  require(list != NULL, "not enough memory", L"メモリーが足りません");
  if (!ReadFile(file, list, length, &size, NULL)) fail_to_read(LIST, GetLastError());
  CloseHandle(file);
  list[size] = 0;
  const char *at = list;
  DWORD longest = number_at(&at);
  if (folder_length + longest >= MAX_PATH) fail_for_path(longest);
  while (*at == '\n' && at[1]) {
    at++;
    DWORD expected = number_at(&at);
    char name[MAX_PATH];
    DWORD end = 0;
    for (at += *at == ' '; *at && *at != '\n' && end < MAX_PATH - 1; at++) name[end++] = *at;
    name[end] = 0;
    set_path(name);
    if (!GetFileAttributesExW(path, GetFileExInfoStandard, &found)) fail_to_read(name, GetLastError());
    if (found.nFileSizeHigh || found.nFileSizeLow != expected) fail_as_incomplete(name);
  }
  HeapFree(GetProcessHeap(), 0, list);
}

/* Tells Kogoma the name of this program's file without its extension: kogoma-VARIANT selects the variant. */
static void pass_name(void) {
  lstrcpyW(interpreter, path + folder_length);
  int end = lstrlenW(interpreter);
  if (end > 4 && !lstrcmpiW(interpreter + end - 4, L".exe")) interpreter[end - 4] = 0;
  SetEnvironmentVariableW(L"KOGOMA_PROGRAM", interpreter);
}

void start(void) {
  find_folder();
  pass_name();
  check_files();
  SetEnvironmentVariableW(L"OPENBLAS_NUM_THREADS", L"1"); /* Kogoma does not use numpy's linear algebra */
  set_path("runtime\\python.exe");
  lstrcpyW(interpreter, path);
  CloseHandle(open_file("runtime\\python311.zip")); /* without it, Python prints many lines */
  CloseHandle(open_file("runtime\\python311.dll"));
  HMODULE python = LoadLibraryExW(path, NULL, LOAD_WITH_ALTERED_SEARCH_PATH);
  if (!python) {
    append("runtime\\python311.dll cannot be loaded", L"runtime\\python311.dll を読み込めません");
    append_error(GetLastError());
    append("; Kogoma needs 64-bit Windows 8.1 or newer", L": 64ビットの Windows 8.1 以降が必要です");
    fail();
  }
  PythonMain python_main = (PythonMain)(void *)GetProcAddress(python, "Py_Main");
  SetProgramName set_program_name = (SetProgramName)(void *)GetProcAddress(python, "Py_SetProgramName");
  require(python_main && set_program_name, "runtime\\python311.dll is not Python 3.11" UNPACK,
          L"runtime\\python311.dll が Python 3.11 ではありません" UNPACK_JAPANESE);
  set_program_name(interpreter); /* it becomes sys.executable; the folders come from runtime\python311._pth */

  static wchar_t *first[] = {interpreter, L"-B", L"-X", L"utf8", L"-m", L"kogoma", ARGUMENTS};
  const int firsts = sizeof first / sizeof *first;
  int given = 0, count = 0;
  wchar_t **words = CommandLineToArgvW(GetCommandLineW(), &given);
  require(words != NULL, "the command line cannot be read", L"コマンドラインを読めません");
  wchar_t **all = HeapAlloc(GetProcessHeap(), 0, (SIZE_T)(firsts + given + 1) * sizeof *all);
  require(all != NULL, "not enough memory", L"メモリーが足りません");
  for (int i = 0; i < firsts; i++) all[count++] = first[i];
  for (int i = 1; i < given; i++) all[count++] = words[i];
  all[count] = NULL;
  ExitProcess((UINT)python_main(count, all));
}
