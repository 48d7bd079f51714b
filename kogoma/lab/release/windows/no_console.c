/* Starts kogoma-board.exe without its console window, and shows a dialog instead, which ends the board when it is closed.
 *
 * Only the board's own process is ended: a browser that it has started goes on, and engines end when their input does.
 * Written without the C library, like launcher.c. */

#include <windows.h>

#define LONGEST 32768 /* of any path on Windows, in characters */
#define PROGRAM L"kogoma-board.exe"
#define SOON 5000 /* ms in which a board that cannot start has ended */

static wchar_t path[LONGEST + sizeof PROGRAM]; /* this program, then PROGRAM in the same folder */
static STARTUPINFOW startup;
static PROCESS_INFORMATION board;

static void show(const wchar_t *text, UINT icon) { MessageBoxW(NULL, text, L"Kogoma", MB_OK | icon); }

void start(void) {
  DWORD length = GetModuleFileNameW(NULL, path, LONGEST);
  while (length && path[length - 1] != L'\\') length--;
  lstrcpyW(path + length, PROGRAM);
  startup.cb = sizeof startup;
  BOOL runs = CreateProcessW(path, NULL, NULL, NULL, FALSE, CREATE_NO_WINDOW, NULL, NULL, &startup, &board) &&
              WaitForSingleObject(board.hProcess, SOON) == WAIT_TIMEOUT;
  if (!runs) {
    show(L"The board cannot start. kogoma-board.exe shows the reason.\n"
         L"将棋盤を起動できません。kogoma-board.exe を起動すると、理由が表示されます。",
         MB_ICONERROR);
    ExitProcess(1);
  }
  show(L"The board is open in the browser. OK ends it.\n"
       L"ブラウザーで将棋盤を開いています。OK を押すと終了します。",
       MB_ICONINFORMATION);
  TerminateProcess(board.hProcess, 0);
  ExitProcess(0);
}
